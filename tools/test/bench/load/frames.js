// What a client sends: the upgrade request and masked frames. The mask is all zeros, which the protocol allows a client
// to choose and which costs nothing here; the server unmasks it at the same price as any other.

/** @param {string} host @param {string} path */
export const upgradeRequest = (host, path) =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: Y2FyaWxsb24tYmVuY2gtMQ==\r\n\r\n';

/** One unfragmented client frame. @param {number} opcode @param {Buffer} payload at most 65535 bytes */
export function clientFrame(opcode, payload) {
  const wide = payload.length > 125;
  const head = Buffer.alloc(wide ? 8 : 6);
  head.writeUInt8(0x80 | opcode, 0);
  head.writeUInt8(0x80 | (wide ? 126 : payload.length), 1);
  if (wide) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
