// Sections 7.1 and 9.1 of the WebSocket page, said once more and differently.
import { objectIn } from './json.js';

/** The user of a sign-in without its info; null when unreadable. @param {string} text */
export function expectedUser(text) {
  const members = objectIn(text);
  const id = members?.get('id');
  if (!members || typeof id !== 'string' || id === '') return null;
  const listed = members.get('watchlist');
  const others = Array.isArray(listed) ? listed.filter((one) => typeof one === 'string' && one !== id) : [];
  return {
    id,
    watchlist: others.filter((one, index) => others.indexOf(one) === index),
    capabilities: members.get('capabilities'),
  };
}

/** The user id of a presence member as it was given; null when there is none. @param {string} text */
export function expectedMemberId(text) {
  const id = objectIn(text)?.get('user_id');
  if (typeof id === 'string' && id !== '') return id;
  return typeof id === 'number' && Number.isFinite(id) ? id : null;
}

/** The `user_info` that both may have; absent is an empty object. @param {string} text @returns {unknown} */
export const expectedInfo = (text) => objectIn(text)?.get('user_info') ?? {};
