/**
 * Known faults of the libraries in the pinned package, by Node ABI. A fault that can be avoided from JavaScript is
 * avoided; others are logged at start.
 */
interface NativeFaults {
  /** A request line that arrives in more than one piece is answered 505. Nothing can be done about it here. */
  readonly refusesSplitRequestLines: boolean;
  /** Text that fits Latin-1 is sent as Latin-1 instead of UTF-8. Avoided by handing over bytes. */
  readonly writesLatin1: boolean;
}

const FAULTS: Readonly<Record<string, NativeFaults>> = {
  '115': { refusesSplitRequestLines: true, writesLatin1: false },
  '127': { refusesSplitRequestLines: false, writesLatin1: false },
  '137': { refusesSplitRequestLines: false, writesLatin1: true },
};

/** An unknown library is trusted with bytes only. */
const UNKNOWN: NativeFaults = { refusesSplitRequestLines: false, writesLatin1: true };

/** The faults of the library that fits this process. */
export const nativeFaults: NativeFaults = FAULTS[process.versions.modules] ?? UNKNOWN;

/** Warnings for operators about the library in use, one line each. */
export function faultTexts({ refusesSplitRequestLines }: NativeFaults): string[] {
  if (!refusesSplitRequestLines) return [];
  return [
    'the native server for this Node version answers 505 when a request line arrives in pieces, as long URLs may; ' +
      'use Node 24 where clients connect over a network (22 has no such fault either)',
  ];
}
