import { expect, it } from 'vitest';
import { pastWholes } from '../../src/appends/past-wholes.js';
import { Frames } from '../../src/codec.js';
import { message } from '../samples.js';

const version = (
  action: 'append' | 'create' | 'update',
  name: string,
  data: string,
  serial: number,
): Frames =>
  new Frames(
    message({
      action,
      serial,
      dataText: JSON.stringify(data),
      extrasText: JSON.stringify({ headers: { service_message_serial: name } }),
    }),
  );

it('pastWholes shows each version with its own text when later versions follow in the replay', async () => {
  const read: unknown[] = [];
  const past = [
    version('append', 'a', '1', 4),
    new Frames(message({ serial: 5 })),
    version('update', 'b', '2', 6),
    version('append', 'a', '\n"', 7),
    version('append', 'b', '3', 8),
    version('append', 'gone', '4', 9),
    version('append', 'gone', '5', 10),
    version('update', 'a', 'new', 11),
    version('append', 'a', '!', 12),
    version('create', 'c', '', 13),
    version('append', 'c', 'x', 14),
  ];
  const told = await pastWholes(past, async (name, serial) => {
    read.push([name, serial]);
    return name === 'gone' ? null : `all of ${name}, `;
  });
  expect(told.map(({ fact }) => (fact.kind === 'message' ? [fact.dataText, fact.serial] : []))).toEqual([
    ['"all of a, 1"', 4],
    ['"{}"', 5],
    ['"2"', 6],
    ['"all of a, 1\\n\\""', 7],
    ['"23"', 8],
    ['"new"', 11],
    ['"new!"', 12],
    ['""', 13],
    ['"x"', 14],
  ]);
  expect(read).toEqual([
    ['a', 4],
    ['gone', 9],
  ]);
});
