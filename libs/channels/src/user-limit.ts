import { isListedUserId } from './characters.js';

/**
 * Users that `base#u1,u2` (a logical name) admits, in the order of the name. `none`: no `#`, everybody. `malformed`:
 * not exactly one `#`, nothing before it, or an id that is empty or has a character ids do not have.
 */
export function usersOf(logical: string): ReadonlySet<string> | 'none' | 'malformed' {
  const [base, list, ...more] = logical.split('#');
  if (list === undefined) return 'none';
  if (base === '' || more.length > 0) return 'malformed';
  const users = list.split(',');
  return users.every(isListedUserId) ? new Set(users) : 'malformed';
}
