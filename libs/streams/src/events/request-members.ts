/** A channel of the request, with the members of a subscribe frame. */
export type ChannelEntry = { readonly channel: string } & Readonly<Record<string, unknown>>;

/** The members of a request, from its query or its body. */
export interface RequestMembers {
  readonly entries: readonly ChannelEntry[];
  /** Text or number, as sent. */
  readonly member: (name: string) => string | null;
}

/** Returns the members of a query; an empty value counts as absent. */
export const queryMember =
  (query: URLSearchParams): RequestMembers['member'] =>
  (name) => {
    const value = query.get(name);
    return value === null || value === '' ? null : value;
  };
