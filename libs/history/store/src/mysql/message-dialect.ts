import type { MessageDialect } from '../sql/message-dialect.js';

/** Tuples are looked up in the index one by one, and planned as quickly. */
export const MESSAGE_DIALECT: MessageDialect = {
  places: (values, kinds, places) =>
    places
      .map(([streamKey, ...within]) => {
        const row = within.map((value, index) => {
          const place = values.add(kinds[index] === 'number' ? Number(value) : value);
          return kinds[index] === 'bytes' ? `unhex(${place})` : place;
        });
        return `(${[`${values.add(streamKey)}::bigint`, ...row].join(', ')})`;
      })
      .join(', '),
  spans: (values, records, spans) => {
    const chosen = spans.map(
      ({ streamKey, generation, messageSerial, after, upTo }) =>
        `c.stream_key = ${values.add(streamKey)}::bigint and c.message_serial = ${values.add(messageSerial)}
          and c.version_serial > ${values.add(after)} and c.version_serial <= ${values.add(upTo)}
          and c.generation = ${values.add(generation)}`,
    );
    return `${records} c where ((${chosen.join(') or (')}))`;
  },
  again: false,
};
