import { ServiceError } from '@carillon/errors';

/** One frame of a body. */
export interface SessionFrame {
  readonly seq: number;
  /** JSON text. */
  readonly text: string;
}

export interface SessionBodyLimits {
  readonly sessionPostMaxBytes: number;
  readonly sessionPostMaxFrames: number;
  readonly maxFrameBytes: number;
}

const tooLarge = (text: string): ServiceError => new ServiceError('payload_too_large', { text });
const invalid = (line: number, text: string): ServiceError =>
  new ServiceError('invalid_input', { text: `line ${line}: ${text}` });

/**
 * Reads the frames of a body, one per line; a single frame may span several lines. Throws if the whole body is
 * refused.
 */
export function readSessionBody(body: string, limits: SessionBodyLimits): readonly SessionFrame[] {
  if (Buffer.byteLength(body) > limits.sessionPostMaxBytes)
    throw tooLarge(`The body is larger than ${limits.sessionPostMaxBytes} bytes`);
  const lines = linesOf(body);
  if (lines.length > limits.sessionPostMaxFrames)
    throw tooLarge(`The body has ${lines.length} frames, ${limits.sessionPostMaxFrames} are allowed`);
  for (const { line, text } of lines)
    if (Buffer.byteLength(text) > limits.maxFrameBytes)
      throw tooLarge(`line ${line}: the frame is larger than ${limits.maxFrameBytes} bytes`);
  const frames: SessionFrame[] = [];
  for (const { line, text } of lines) {
    const seq = seqOf(line, text);
    const before = frames.at(-1)?.seq;
    if (before !== undefined && seq !== before + 1)
      throw invalid(line, `seq must be ${before + 1}, one more than in the line before, not ${seq}`);
    frames.push({ seq, text });
  }
  return frames;
}

/** Lines that are not empty, with their numbers; a body that is one JSON text counts as one line. */
function linesOf(body: string): readonly { readonly line: number; readonly text: string }[] {
  const lines = body
    .split('\n')
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== '');
  const isFrame =
    lines.length > 1 && parsed(lines[0]?.text ?? '') === undefined && parsed(body) !== undefined;
  return isFrame ? [{ line: 1, text: body.trim() }] : lines;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function seqOf(line: number, text: string): number {
  const frame = parsed(text);
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame))
    throw invalid(line, 'a frame must be a JSON object');
  const { seq } = frame as { readonly seq?: unknown };
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1)
    throw invalid(line, 'seq must be an integer of at least 1');
  return seq;
}
