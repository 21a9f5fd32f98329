// The health check of an image: whether /up of the process in this container answers 200.
const answer = await fetch(`http://127.0.0.1:${process.env.PORT ?? 6001}/up`).catch(() => null);
process.exit(answer?.status === 200 ? 0 : 1);
