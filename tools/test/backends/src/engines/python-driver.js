// A script that drives a library in Python. Python finds it in an environment of its own, so nothing is installed on
// the machine beside it.
import { fileURLToPath } from 'node:url';
import { httpDriver } from './http-driver.js';

/**
 * An engine that is a Python script beside this file.
 * @param {string} name
 * @param {{ script: string, packages: import('../types.js').PythonPackages }} driver
 */
export function pythonDriver(name, { script, packages }) {
  const path = fileURLToPath(new URL(`./${script}`, import.meta.url));
  const needs = {
    programs: { python: ['python3'] },
    packages: ['python3', 'python3-venv'],
    pip: packages,
  };
  return httpDriver(name, needs, ({ programs }) => ({ command: programs.python, args: [path] }));
}
