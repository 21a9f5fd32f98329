const MISSING = /^Cannot find package '([^']+)'/;

/**
 * Returns the error to report if a driver cannot be loaded: one that names the package to install if that is the reason,
 * otherwise the error itself. Client libraries of drivers are optional dependencies.
 */
export function explainMissingPackage(driver: string, error: unknown): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND')
    return error;
  const [, name] = MISSING.exec(error.message) ?? [];
  if (name === undefined) return error;
  const remedy = `install it with "npm install ${packageOf(name)}", or use an image built with DRIVERS=all`;
  return new Error(
    `driver ${driver} needs the package ${packageOf(name)}, which is not installed: ${remedy}`,
    {
      cause: error,
    },
  );
}

/** Node names the package with the path inside it that was imported. */
function packageOf(name: string): string {
  const [first = '', second] = name.split('/');
  return first.startsWith('@') && second !== undefined ? `${first}/${second}` : first;
}
