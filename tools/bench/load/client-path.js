/** The path a Pusher-protocol client connects to. @param {import('./model.js').Server} server */
export const clientPath = ({ credentials }) => `/app/${credentials.key}?protocol=7&client=bench&version=1`;
