import { RunningSummary } from '@carillon/history-annotations';
import { describe, expect, it } from 'vitest';
import { KnownSummaries } from '../../src/evaluate/known-summaries.js';

const NO_LIMITS = { maxBytes: Infinity, maxNames: Infinity };

function summary(messageSerial: string, type: string, clients = 1): RunningSummary {
  const running = RunningSummary.none({ streamKey: '1', messageSerial, type });
  for (let at = 1; at <= clients; at += 1)
    running.add(
      { action: 'create', name: null, clientId: `u${at}`, count: null, annotationNo: at, atMs: at },
      NO_LIMITS,
    );
  return running;
}

const typesOf = (taken: { readonly all: readonly { readonly type: string }[] }) =>
  taken.all.map(({ type }) => type);

describe('known summaries', () => {
  it('hand over the type of an annotation only when its message has many types', () => {
    const known = new KnownSummaries();
    const types = Array.from({ length: 100 }, (_, at) => `t${at}:flag.v1`);
    known.keep(types.map((type) => summary('m', type)));
    const taken = known.take([{ messageSerial: 'm', type: 't7:flag.v1' }]);
    expect(typesOf(taken)).toEqual(['t7:flag.v1']);
    known.keep(taken.left);
    expect(typesOf(known.take([{ messageSerial: 'm', type: null }])).sort()).toEqual(types.sort());
  });

  it('hand over a summary to one batch at a time', () => {
    const known = new KnownSummaries();
    known.keep([summary('m', 'a:flag.v1')]);
    known.take([{ messageSerial: 'm', type: 'a:flag.v1' }]);
    expect(known.take([{ messageSerial: 'm', type: 'a:flag.v1' }]).all).toEqual([]);
  });

  it('recognise a summary only when its last annotation is that of the store', () => {
    const known = new KnownSummaries();
    known.keep([summary('m', 'a:flag.v1', 3)]);
    const taken = known.take([{ messageSerial: 'm', type: 'a:flag.v1' }]);
    const key = { streamKey: '1', messageSerial: 'm', type: 'a:flag.v1' };
    expect(taken.take({ ...key, lastNo: 2 })).toBeUndefined();
    expect(taken.take({ ...key, lastNo: 3 })?.lastNo).toBe(3);
    expect(taken.left).toEqual([]);
  });

  it('forget the message that was annotated the longest ago when they have too many clients', () => {
    const known = new KnownSummaries(100);
    for (const serial of ['one', 'two', 'three']) known.keep([summary(serial, 'a:flag.v1', 40)]);
    const left = ['one', 'two', 'three'].flatMap((messageSerial) =>
      known.take([{ messageSerial, type: null }]).all.map((one) => one.messageSerial),
    );
    expect(left).toEqual(['two', 'three']);
  });
});
