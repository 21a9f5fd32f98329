/** JSON text as the content of a JSON string, which is how most `data` of system frames travels. */
export const inString = (jsonText: string): string => JSON.stringify(jsonText);

/** `data` of frames whose payload is an empty object. */
export const EMPTY_IN_STRING = inString('{}');
