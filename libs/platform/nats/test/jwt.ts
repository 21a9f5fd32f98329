import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

const base64url = (value: Uint8Array | string): string => Buffer.from(value).toString('base64url');

function signed(issuer: KeyPair, subject: KeyPair, type: string): string {
  const claims = {
    jti: `${type}-of-a-test`,
    iat: 1_700_000_000,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: type,
    nats: {
      type,
      version: 2,
      ...(type === 'account'
        ? {
            limits: {
              subs: -1,
              data: -1,
              payload: -1,
              conn: -1,
              leaf: -1,
              imports: -1,
              exports: -1,
              wildcards: true,
            },
          }
        : {}),
      ...(type === 'user' ? { subs: -1, data: -1, payload: -1 } : {}),
    },
  };
  const head = base64url(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }));
  const text = `${head}.${base64url(JSON.stringify(claims))}`;
  return `${text}.${base64url(issuer.sign(Buffer.from(text)))}`;
}

/** An operator with one account: the configuration of its server, and a maker of users. */
export function operated() {
  const operator = nkeys.createOperator();
  const account = nkeys.createAccount();
  const configuration = `operator: "${signed(operator, operator, 'operator')}"
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: "${signed(operator, account, 'account')}" }
`;
  const user = () => {
    const key = nkeys.createUser();
    return { jwt: signed(account, key, 'user'), seed: Buffer.from(key.getSeed()).toString() };
  };
  return { configuration, user };
}
