import { CommandError } from '../program/errors.js';

/** Explains the 404 of a process in role `api`, which does not serve the routes of live state. */
export async function withoutRole<Answer>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof CommandError) || error.status !== 404) throw error;
    throw new CommandError(error.message, {
      code: error.code,
      status: 404,
      exitCode: error.exitCode,
      cure: 'processes in role "api" do not serve live state; name a gateway or server with --url',
      cause: error,
    });
  }
}
