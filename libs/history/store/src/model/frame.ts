/** The frame as it goes to subscribers: with its position, and otherwise byte for byte as it was stored. */
export const positioned = (text: string, streamId: string, serial: number): string =>
  `${text.slice(0, text.lastIndexOf('}'))},"stream_id":"${streamId}","serial":${serial}}`;
