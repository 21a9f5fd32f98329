import { omitMembers } from '../json/omit-members.js';
import { rawMember } from '../json/raw-member.js';

/** Headers of `extras` that only the service sets, as they are named inside of it. */
export const SERVICE_HEADERS = {
  action: 'service_action',
  messageSerial: 'service_message_serial',
  versionSerial: 'service_version_serial',
  historySerial: 'service_history_serial',
  versionTimestamp: 'service_version_timestamp_ms',
  rollupFrom: 'service_rollup_from_serial',
} as const;

/** Version of a mutable message from its headers. Null: unknown and omitted. */
export interface VersionHeaders {
  readonly action: string;
  readonly messageSerial: string | null;
  readonly versionSerial: string | null;
  readonly historySerial: number | null;
  readonly atMs: number;
}

const RESERVED: ReadonlySet<string> = new Set(Object.values(SERVICE_HEADERS));
const HEADERS: ReadonlySet<string> = new Set(['headers']);

/** The headers of a version, as JSON text. */
export const versionHeaders = (version: VersionHeaders): string =>
  JSON.stringify({
    [SERVICE_HEADERS.action]: `message.${version.action}`,
    [SERVICE_HEADERS.messageSerial]: version.messageSerial ?? undefined,
    [SERVICE_HEADERS.versionSerial]: version.versionSerial ?? undefined,
    [SERVICE_HEADERS.historySerial]: version.historySerial ?? undefined,
    [SERVICE_HEADERS.versionTimestamp]: version.atMs,
  });

/** Returns extras that contain these headers besides their own. */
export function extrasWith(extras: string | null, headers: string): string {
  const own = extras === null ? null : rawMember(extras, 'headers');
  const kept = own?.startsWith('{') === true ? omitMembers(own, RESERVED) : null;
  const all = kept === null ? headers : `${kept.slice(0, -1)},${headers.slice(1)}`;
  return withHeadersText(extras, all);
}

/** Returns extras of a version that replaces earlier ones in one frame, with the first serial it covers. */
export function rolledUp(extras: string | null, fromSerial: number): string {
  const own = extras === null ? null : rawMember(extras, 'headers');
  const header = `"${SERVICE_HEADERS.rollupFrom}":${fromSerial}`;
  return withHeadersText(
    extras,
    own?.startsWith('{"') === true ? `${own.slice(0, -1)},${header}}` : `{${header}}`,
  );
}

function withHeadersText(extras: string | null, headers: string): string {
  const rest = extras === null ? null : omitMembers(extras, HEADERS);
  return rest === null ? `{"headers":${headers}}` : `${rest.slice(0, -1)},"headers":${headers}}`;
}

/** Returns the serial of the mutable message from delivered extras; null: the message is not mutable. */
export function messageSerialOf(extras: string | null): string | null {
  const headers = extras === null ? null : rawMember(extras, 'headers');
  const raw = headers?.startsWith('{') === true ? rawMember(headers, SERVICE_HEADERS.messageSerial) : null;
  return raw === null ? null : (JSON.parse(raw) as string);
}
