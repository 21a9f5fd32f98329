// The shapes that pass between the controlling process, the load processes and the scenarios.

/**
 * @typedef {object} Settings
 * @property {number} duration seconds measured in each round
 * @property {number} warmup seconds of load before each measurement
 * @property {number} rounds how often target and floor are measured, in turn
 * @property {number} connections
 * @property {number} channels
 * @property {number} rate requests per second of an open loop; 0 = closed loop, as fast as answers come
 * @property {number} payloadBytes
 * @property {number} pipeline requests under way on one HTTP connection
 * @property {number} publishSockets keep-alive connections that publish
 * @property {number} loadProcesses
 * @property {number} batch events that leave together
 * @property {number} settle seconds of silence before memory is read
 * @property {number} minutes a lasting scenario is measured
 * @property {number} churn short-lived connections per second beside the lasting ones
 */

/**
 * One measured window; a scenario may have several, one after another on the same connections.
 * @typedef {object} Phase
 * @property {string} name
 * @property {number} rate requests per second of an open loop; 0 = closed loop
 */

/**
 * What a load process needs to reach a server.
 * @typedef {object} Server
 * @property {string} host
 * @property {number} port
 * @property {number} [otherPort] of another node of the same installation; absent: the same one
 * @property {number} [singlePort] of the same service as a single process; absent: the same one
 * @property {number | null} [redisPort] of the store that nodes share; null: unknown
 * @property {string} authority host and port as a Host header has them
 * @property {string} path of the plain GET
 * @property {string} [dialect] what its clients speak; `v1` when absent
 * @property {import('./sign.js').Credentials} credentials
 */

/**
 * @typedef {object} LoadContext
 * @property {Settings} settings of the whole run
 * @property {Server} server
 * @property {string} [prefix] of the names of channels; `bench` when absent
 * @property {Server} [publishTo] where publishes go; the same server when absent
 * @property {{ index: number, of: number }} share which load process this is
 * @property {import('./stopwatch.js').Stopwatch} stopwatch
 */

/**
 * The load one process makes. Counters only ever grow; whoever measures takes differences.
 * @typedef {object} Load
 * @property {() => Promise<void>} [warmUp] brings a fresh server to its usual size and leaves no connection behind
 * @property {() => Promise<void>} prepare opens connections; rejects when the server refuses
 * @property {(startUs: number, phase: Phase) => void} start may come again after `stop`
 * @property {() => void} stop starts nothing new; what is under way may still be counted
 * @property {() => Promise<void>} close drops every connection
 * @property {() => Record<string, number>} counts
 * @property {() => string} problem the first thing that went wrong; empty when nothing did
 */

/** @typedef {ReturnType<import('./histogram.js').Histogram['toJSON']>} HistogramData */

/**
 * What one load process saw in one round.
 * @typedef {object} LoadResult
 * @property {number} seconds between the two readings
 * @property {Record<string, number>} counts inside the measured window
 * @property {Record<string, number>} totals from the start of the load until nothing more came in
 * @property {HistogramData} latency in µs from the intended start
 * @property {HistogramData} lag in µs by which this process was late to send
 * @property {string} problem
 */

export {};
