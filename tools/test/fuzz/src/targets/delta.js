import { conflationKey, encodeDelta } from '@carillon/delta';
import { must, mustEqual } from '../broken.js';
import { appliedFossil, appliedVcdiff } from '../restate/delta.js';
import { objectIn } from '../restate/json.js';
import { fieldsOf } from '../text.js';
import { words } from '../words.js';

/** Fields: the base and the target. @type {import('../target.js').Target} */
export const delta = {
  name: 'delta',
  tokens: words(
    '{"event": "tick", "channel": "data": "{\\"p\\":100}" "asset": BTC aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ␞',
  ),
  outcomes: ['shorter', 'not shorter', 'shorter, with a group'],
  growths: [
    { name: 'equal blocks', before: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab␞', piece: 'aaaaaaaaaaaaaaaa' },
    {
      name: 'equal blocks of the base',
      piece: 'aaaaaaaaaaaaaaaa',
      after: '␞baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab',
    },
    { name: 'pieces of the base', before: '0123456789abcdefghijklmnopq␞', piece: '0123456789abcdefghijk-' },
    { name: 'nothing in common', before: '0123456789abcdefghijklmnopq␞', piece: 'zyx' },
  ],
  check(bytes) {
    const [base = '', target = ''] = fieldsOf(bytes, 2).map((text) => text.toWellFormed());
    const wanted = Buffer.from(target);
    const [fossil, vcdiff] = [encodeDelta('fossil', base, target), encodeDelta('xdelta3', base, target)];
    must(
      appliedFossil(Buffer.from(base), Buffer.from(fossil, 'base64')).equals(wanted),
      'fossil gives the target',
    );
    must(
      appliedVcdiff(Buffer.from(base), Buffer.from(vcdiff, 'base64')).equals(wanted),
      'VCDIFF gives the target',
    );
    const most = Math.ceil((wanted.length + 64) / 3) * 4;
    must(Math.max(fossil.length, vcdiff.length) <= most, 'a difference is hardly longer than its target');
    const outcome = fossil.length < wanted.length ? 'shorter' : 'not shorter';
    return hasGroup(target) ? `${outcome}, with a group` : outcome;
  },
  reach(bytes) {
    const [base = '', target = ''] = fieldsOf(bytes, 2);
    encodeDelta('fossil', base, target);
    encodeDelta('xdelta3', base, target);
  },
};

/** @param {string} text */
function hasGroup(text) {
  const frame = objectIn(text);
  if (frame === null) return false;
  const key = conflationKey('asset', Object.fromEntries(frame));
  if (key === null) return false;
  mustEqual(JSON.stringify(key), `"${key}"`, 'a group as text of JSON');
  return true;
}
