import { expect, it } from 'vitest';
import { pastWholes } from '../../src/appends/past-wholes.js';
import { Frames } from '../../src/codec.js';
import { message } from '../samples.js';

const version = (action: 'append' | 'update', name: string, data: string, serial: number): Frames =>
  new Frames(
    message({
      action,
      serial,
      dataText: JSON.stringify(data),
      extrasText: JSON.stringify({ headers: { service_message_serial: name } }),
    }),
  );

it('what was missed is told with the texts of now, each read once, for who wants them whole', async () => {
  const read: string[] = [];
  const past = [
    version('append', 'a', '1', 1),
    new Frames(message({ serial: 2 })),
    version('update', 'b', '2', 3),
    version('append', 'a', '3', 4),
    version('append', 'gone', '4', 5),
  ];
  const told = await pastWholes(past, async (name) => {
    read.push(name);
    return name === 'gone' ? null : { inner: `all of ${name}`, serial: 9 };
  });
  expect(told.map(({ fact }) => (fact.kind === 'message' ? [fact.dataText, fact.serial] : []))).toEqual([
    ['"all of a"', 1],
    ['"{}"', 2],
    ['"2"', 3],
    ['"all of a"', 4],
  ]);
  expect(read).toEqual(['a', 'gone']);
});
