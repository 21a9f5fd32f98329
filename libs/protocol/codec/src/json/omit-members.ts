import { membersOfText, objectText } from './map-members.js';

/**
 * The text of an object without some of its members, from text that JSON.parse has read as an object; values stay
 * exactly as written, white space around them goes. Null when none are left. Names count as read, not as spelled.
 */
export function omitMembers(text: string, omitted: ReadonlySet<string>): string | null {
  return objectText([...membersOfText(text)].filter(([name]) => !omitted.has(name)));
}
