const NAME = /^[A-Za-z0-9\-_=@,;.:#]*$/;
const WILDCARD = /^[A-Za-z0-9\-_=@.:*]*$/;
const USER_ID = /^[A-Za-z0-9\-_=@.]+$/;
const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;

/** Whether all characters are valid in a channel name. */
export const hasNameCharacters = (text: string): boolean => NAME.test(text);

/** Whether all characters are valid in a wildcard pattern. */
export const hasWildcardCharacters = (text: string): boolean => WILDCARD.test(text);

/** Whether it may be one user of a user-limited channel; not empty. */
export const isListedUserId = (text: string): boolean => USER_ID.test(text);

/** No control characters, no line breaks, no half of a surrogate pair. */
export const isPrintable = (text: string): boolean => PRINTABLE.test(text);
