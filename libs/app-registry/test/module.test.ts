import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import {
  APP_MANAGER_DRIVERS,
  APP_REGISTRY,
  APP_REGISTRY_LOG,
  AppRegistry,
  AppRegistryModule,
  openAppStore,
} from '../src/index.js';
import { OPTIONS, record } from './samples.js';

describe('the module', () => {
  it('provides a registry over the configured driver, with what others provide', async () => {
    const lines: string[] = [];
    const log = { provide: APP_REGISTRY_LOG, useValue: (_: string, line: string) => lines.push(line) };

    @Module({ providers: [log], exports: [log] })
    class Logging {}

    const options = { ...OPTIONS, driver: 'array', inlineApps: [record('a')], imports: [Logging] };
    const context = await NestFactory.createApplicationContext(AppRegistryModule.forRoot(options), {
      logger: false,
    });
    const registry = context.get<AppRegistry>(APP_REGISTRY);
    await registry.start();
    expect(registry.peekByKey('a-key')?.id).toBe('a');
    registry.onChange(() => {
      throw new Error('broken listener');
    });
    await registry.create(record('b'));
    expect(lines).toEqual(['a listener to app changes failed']);
    await registry.close();
    await context.close();
  });

  it('knows the drivers of this build, and no others', async () => {
    expect(APP_MANAGER_DRIVERS).toEqual(['memory']);
    for (const driver of APP_MANAGER_DRIVERS) await expect(openAppStore(driver)).resolves.toBeDefined();
    await expect(openAppStore('toString')).rejects.toThrow('driver toString is not available in this build');
    await expect(openAppStore('postgres')).rejects.toThrow('driver postgres is not available in this build');
  });
});
