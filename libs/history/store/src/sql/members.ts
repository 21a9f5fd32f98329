import type { SqlSession } from '@carillon/database';
import type { MemberThere } from '../model/presence.js';
import type { MembersQuery } from '../port.js';
import { memberThereOf } from './rows.js';
import type { Names } from './shown.js';

/** Returns current members, page by page. */
export async function readMembersThere(
  session: SqlSession,
  table: Names,
  { after, limit }: MembersQuery,
): Promise<MemberThere[]> {
  const { rows } = await session.query(
    `select m.stream_key, m.user_id, s.app_id, s.channel from ${table('presence_members')} m
        join ${table('streams')} s on s.stream_key = m.stream_key and s.generation = m.generation
      where m.present = true and m.stream_key >= $1 and (m.stream_key > $1 or m.user_id > $2)
      order by m.stream_key, m.user_id limit $3`,
    [Number(after?.streamKey ?? 0), after?.userId ?? '', limit],
  );
  return rows.map(memberThereOf);
}
