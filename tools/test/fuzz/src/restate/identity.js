// Sections 7.1 and 9.1 of the WebSocket page, said once more and differently.
import { objectIn } from './json.js';

const LONGEST_ID_BYTES = 128;

/** Whether a user can be called so: a store keeps it, and every broker can name it. @param {unknown} id @returns {id is string} */
const canBeUser = (id) =>
  typeof id === 'string' &&
  id !== '' &&
  !/\0|\p{Surrogate}/u.test(id) &&
  Buffer.byteLength(id) <= LONGEST_ID_BYTES;

/** @param {number} id */
const digits = (id) => (Number.isInteger(id) ? BigInt(id).toString() : String(id));

/** The user of a sign-in without its info; null when unreadable. @param {string} text */
export function expectedUser(text) {
  const members = objectIn(text);
  const id = members?.get('id');
  if (!members || !canBeUser(id)) return null;
  const listed = members.get('watchlist');
  const others = Array.isArray(listed) ? listed.filter((one) => canBeUser(one) && one !== id) : [];
  return {
    id,
    watchlist: others.filter((one, index) => others.indexOf(one) === index),
    capabilities: members.get('capabilities'),
  };
}

/** The user id of a presence member as it was given; null when there is none. @param {string} text */
export function expectedMemberId(text) {
  const id = objectIn(text)?.get('user_id');
  if (typeof id === 'string') return canBeUser(id) ? id : null;
  return typeof id === 'number' && Number.isFinite(id) && canBeUser(digits(id)) ? id : null;
}

/** The `user_info` that both may have; absent is an empty object. @param {string} text @returns {unknown} */
export const expectedInfo = (text) => objectIn(text)?.get('user_info') ?? {};
