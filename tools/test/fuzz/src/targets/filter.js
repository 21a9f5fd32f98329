import { compileFilter, FilterSubject } from '@carillon/filter';
import { must, mustEqual } from '../broken.js';
import { fieldsOf } from '../text.js';
import { words } from '../words.js';

const RULES = { eventNamesEnabled: true, tagsEnabled: true, maxEventNames: 50, maxEventNameBytes: 200 };
const OFF = { ...RULES, eventNamesEnabled: false, tagsEnabled: false };

/** @param {string} dataText */
const subject = (dataText) =>
  new FilterSubject({
    event: 'tick',
    channel: 'room:1',
    dataText,
    name: null,
    userId: null,
    tagsText: '{"region":"eu","n":"12"}',
    headersText: '{"prio":"high","weight":3}',
    messageId: 'm-1',
    streamId: 's',
    serial: 7,
    action: null,
  });

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Fields: the filter as JSON, or the source of an expression alone, and the data of an event as JSON.
 * @type {import('../target.js').Target}
 */
export const filter = {
  name: 'filter',
  tokens: [
    ...words(`
    events tags expression key cmp val vals op nodes and or not eq neq in nin ex nex sw ew ct gt gte lt lte
    region "eu" jmespath source data.total tags.region headers.prio [?@] [*] [] .* && || ! == < length( keys(
    sort_by( to_string( &@ [@,@] {a:b} | @ \`1\` \`[1,2]\` contains( map( join( merge( [::-1] [0] ␞
  `),
    "'x'",
  ],
  outcomes: [
    'accepted',
    'rejected',
    'no restriction',
    'filter must be an object',
    'cmp of a tag filter is unknown',
    'op of a tag filter must be and, or, not',
    'filter.expression has a word in the wrong place',
    'filter.expression calls an unknown function',
    'filter.expression ends too early',
  ],
  growths: [
    { name: 'values', before: '{"key":"a","cmp":"in","vals":["x"', piece: ',"x"', after: ']}␞{}' },
    { name: 'nodes', before: '{"op":"and","nodes":[{}', piece: ',{}', after: ']}␞{}' },
    { name: 'nodes in nodes', piece: '{"op":"not","nodes":[', after: '␞{}' },
    { name: 'parentheses', piece: '(', after: '␞{}' },
    { name: 'members of members', before: 'a', piece: '.a', after: '␞{}' },
    {
      name: 'data in a projection',
      before: 'data[?contains(to_string(@), `"b"`)]␞[1',
      piece: ',1',
      after: ']',
    },
    {
      name: 'data doubled',
      before: 'data|[@,@][]|[@,@][]|[@,@][]|[@,@][]|[@,@][]␞[1',
      piece: ',1',
      after: ']',
    },
    { name: 'lists in lists', before: 'to_string(data)␞', piece: '[' },
    { name: 'text in text', before: 'contains(data, data)␞"', piece: 'a', after: '"' },
  ],
  check(bytes) {
    const [source = '', dataText = ''] = fieldsOf(bytes, 2);
    const value = valueOf(source);
    const compiled = compileFilter(value, RULES);
    mustEqual(compileFilter(value, OFF).ok, compiled.ok, 'whether an inactive filter is well formed');
    if (!compiled.ok) {
      must(compiled.reason.length > 0 && compiled.reason.length < 100, 'the reason is short');
      return compiled.reason;
    }
    if (compiled.filter === null) return 'no restriction';
    const accepts = compiled.filter.accepts(subject(parsed(dataText) === undefined ? 'null' : dataText));
    mustEqual(typeof accepts, 'boolean', 'the judgement');
    checkOpposite(value, accepts);
    return accepts ? 'accepted' : 'rejected';
  },
  reach(bytes) {
    const [source = '', dataText = ''] = fieldsOf(bytes, 2);
    const compiled = compileFilter(valueOf(source), RULES);
    if (compiled.ok) compiled.filter?.accepts(subject(dataText));
  },
};

/** @param {string} source */
function valueOf(source) {
  const value = parsed(source);
  return typeof value === 'object' ? value : { expression: source };
}

/** What a tag node accepts, its opposite rejects; unless that is one level too many. @param {any} value @param {boolean} accepts */
function checkOpposite(value, accepts) {
  if (['events', 'tags', 'expression'].some((name) => Object.hasOwn(value, name))) return;
  const opposite = compileFilter({ op: 'not', nodes: [value] }, RULES);
  if (opposite.ok)
    mustEqual(opposite.filter?.accepts(subject('null')), !accepts, 'the opposite of a tag node');
}
