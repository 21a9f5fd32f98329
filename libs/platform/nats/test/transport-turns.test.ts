import { describe, expect, it } from 'vitest';
import { type Transport, TransportTurns } from '../src/transport-turns.js';

interface Step {
  readonly result: Promise<string>;
  readonly end: (failure?: Error) => void;
}

/** Records started steps; each step ends on request. */
function scene() {
  const turns = new TransportTurns();
  const begun: string[] = [];
  const open = (transport: Transport, name: string): Step => {
    const ends: Step['end'][] = [];
    const result = turns.open(transport, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.push((failure) => (failure === undefined ? resolve(name) : reject(failure)));
      });
    });
    return { result, end: (failure) => ends[0]?.(failure) };
  };
  return { begun, open };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('TransportTurns', () => {
  it('opens connections of one transport concurrently', () => {
    const { begun, open } = scene();
    open('websocket', 'one');
    open('websocket', 'two');
    expect(begun).toEqual(['one', 'two']);
  });

  it('waits for all connections of the other transport, also failed ones', async () => {
    const { begun, open } = scene();
    const [one, two] = [open('tcp', 'one'), open('tcp', 'two')];
    const other = open('websocket', 'other');
    one.end(new Error('refused'));
    await expect(one.result).rejects.toThrow('refused');
    await turn();
    expect(begun).toEqual(['one', 'two']);
    two.end();
    await turn();
    expect(begun).toEqual(['one', 'two', 'other']);
    other.end();
    expect(await Promise.all([two.result, other.result])).toEqual(['two', 'other']);
  });
});
