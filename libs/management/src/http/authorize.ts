import type { AppRegistry } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import { canSee, type Principal } from '../auth/principals.js';
import type { MatchedRoute } from './matching.js';

/** The answer for an unknown app and for an app of another token: equal, and without the id. */
export const appNotFound = (): ServiceError =>
  new ServiceError('app_not_found', { text: 'the app does not exist' });

/**
 * Checks the visibility of `{app_id}`. The registry is read before the decision, so that a foreign app takes the same
 * work as an unknown one.
 *
 * @throws ServiceError `app_not_found`
 */
export async function checkVisibility(
  { params }: MatchedRoute,
  principal: Principal,
  apps: Pick<AppRegistry, 'findById'>,
): Promise<void> {
  const appId = params['app_id'];
  if (appId === undefined || principal.apps === null) return;
  await apps.findById(appId);
  if (!canSee(principal, appId)) throw appNotFound();
}

/** @throws ServiceError `forbidden` that names the missing scope */
export function checkScope({ route }: MatchedRoute, principal: Principal): void {
  const { scope, app } = route;
  if (scope !== null && scope !== 'any' && !principal.scopes.has(scope))
    throw new ServiceError('forbidden', { text: `the scope ${scope} is required` });
  if (app === 'all' && principal.apps !== null)
    throw new ServiceError('forbidden', { text: 'a token for all apps is required' });
}
