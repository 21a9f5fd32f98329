/** The words of a text, for lists that would take a line a word. @param {string} text */
export const words = (text) => text.trim().split(/\s+/);
