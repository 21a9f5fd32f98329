const LARGEST_BODY_BYTES = 1024 * 1024;

/**
 * Hands the whole body over once; closes the connection above 1 MiB.
 * @param {import('uWebSockets.js').HttpResponse} response
 * @param {(body: Buffer) => void} use called at once, while the bytes are the caller's to read
 */
export function withBody(response, use) {
  /** @type {Buffer[]} */
  const parts = [];
  let bytes = 0;
  response.onAborted(() => {});
  response.onData((part, last) => {
    bytes += part.byteLength;
    if (bytes > LARGEST_BODY_BYTES) return response.close();
    // Only the last part may be used in place: the native server takes its memory back after each call.
    if (!last) return parts.push(Buffer.from(Buffer.from(part)));
    return use(parts.length === 0 ? Buffer.from(part) : Buffer.concat([...parts, Buffer.from(part)]));
  });
}

/** @param {Buffer} bytes @returns {Record<string, any>} empty for anything but an object */
export function parsed(bytes) {
  try {
    return Object(JSON.parse(bytes.toString()));
  } catch {
    return {};
  }
}
