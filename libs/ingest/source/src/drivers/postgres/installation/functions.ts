/** How every function of the installation is declared: as its owner, with a fixed search path. */
export const definer = (volatility = ''): string =>
  `LANGUAGE plpgsql ${volatility} SECURITY DEFINER SET search_path = pg_catalog, pg_temp`;

/** Options of a publish and of a mutation; others are refused. */
const OPTIONS = {
  publish: ['socket_id', 'tags', 'delta', 'idempotency_key', 'message_id', 'extras'],
  append: ['client_id', 'description', 'metadata', 'op_id', 'extras'],
  mutation: ['client_id', 'description', 'metadata', 'op_id'],
} as const;

/** The options of an operation as an array of SQL. */
export const optionNames = (operation: keyof typeof OPTIONS): string =>
  `'{${OPTIONS[operation].join(',')}}'::text[]`;
