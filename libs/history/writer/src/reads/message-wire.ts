import { Tally } from '@carillon/history-annotations';
import type { Read, ReadAnnotation, ReadMessage, ReadSummary } from '@carillon/contracts';
import type {
  AnnotationEvent,
  AnnotationsQuery,
  AnnotationSummary,
  MessagesQuery,
  StoredMessage,
  SummariesQuery,
  VersionsQuery,
} from '@carillon/history-store';

/** A name as it travels: `streamKey` as `stream_key`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type Out<Row> = { readonly [Name in keyof Row & string as Snake<Name>]: Row[Name] };
type In<Row> = { readonly [Name in keyof Row & string as Camel<Name>]: Row[Name] };

/** Renames the members of a row for transport; values are unchanged. */
const out = <Row extends object>(row: Row): Out<Row> =>
  renamed(row, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as Out<Row>;
const back = <Row extends object>(row: Row): In<Row> =>
  renamed(row, (name) =>
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ) as In<Row>;

const renamed = (row: object, nameOf: (name: string) => string): object =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [nameOf(name), value]));

type Asked<Name extends 'annotations' | 'messages' | 'summaries' | 'versions'> = NonNullable<Read[Name]>;

/** Sends only the requested members of a query. */
export const messagesOut = (query: MessagesQuery): Asked<'messages'> => {
  const { streamKey, generation, floorMessageSerial, nowMs, messageSerials } = query;
  return {
    ...out({ streamKey, generation, floorMessageSerial, nowMs }),
    message_serials: [...messageSerials],
  };
};
export const versionsOut = (query: VersionsQuery): Asked<'versions'> => {
  const { streamKey, generation, messageSerial, sinceMs, newestFirst, after, limit } = query;
  return out({ streamKey, generation, messageSerial, sinceMs, newestFirst, after, limit });
};
export const annotationsOut = (query: AnnotationsQuery): Asked<'annotations'> => {
  const { streamKey, messageSerial, type, sinceMs, afterNo, limit } = query;
  return out({ streamKey, messageSerial, type, sinceMs, afterNo, limit });
};
export const summariesOut = (query: SummariesQuery): Asked<'summaries'> => {
  const { streamKey, generation, floorMessageSerial, nowMs, belowNo, messageSerials, limit } = query;
  return {
    ...out({ streamKey, generation, floorMessageSerial, nowMs, belowNo, limit }),
    ...(messageSerials === undefined ? {} : { message_serials: [...messageSerials] }),
  };
};

export const messagesIn = (asked: Asked<'messages'>): MessagesQuery => back(asked);
export const versionsIn = (asked: Asked<'versions'>): VersionsQuery => back(asked);
export const annotationsIn = (asked: Asked<'annotations'>): AnnotationsQuery => back(asked);
export const summariesIn = (asked: Asked<'summaries'>): SummariesQuery => back(asked);

export const messageOut = (message: StoredMessage): ReadMessage => out(message);
export const messageIn = (message: ReadMessage): StoredMessage => back(message);
export const annotationOut = (event: AnnotationEvent): ReadAnnotation => out(event);
export const annotationIn = (event: ReadAnnotation): AnnotationEvent => back(event);
/** Includes the contributions since the stored text: that split is internal to the store. */
export const summaryOut = ({ since, ...summary }: AnnotationSummary): ReadSummary => {
  const { type, summary: text } = summary;
  return out({
    ...summary,
    summary: since.length === 0 ? text : Tally.of(type, { summary: text, since }).text(),
  });
};
export const summaryIn = (summary: ReadSummary): AnnotationSummary => ({ ...back(summary), since: [] });
