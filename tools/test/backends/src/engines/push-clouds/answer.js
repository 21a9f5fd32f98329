// How answers are given.

/**
 * What a cloud says, or does instead of saying anything.
 * @typedef {object} Answer
 * @property {number} [status]
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] text as it is, anything else as JSON
 * @property {'hang' | 'drop' | 'goaway'} [act] no answer, the end of the connection, an answer with a goodbye
 */

/** @type {Answer} */
export const notFound = { status: 404 };

/**
 * @param {import('node:http2').Http2ServerRequest} request
 * @param {import('node:http2').Http2ServerResponse} response
 * @param {Answer} answer
 */
export function answered(request, response, { status = 200, headers = {}, body = '', act }) {
  if (act === 'hang') return;
  const { session } = request.stream ?? {};
  if (act === 'drop') {
    if (session === undefined) request.socket.destroy();
    else session.destroy();
    return;
  }
  response.writeHead(status, headers);
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
  if (act === 'goaway') session?.close();
}
