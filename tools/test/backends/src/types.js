// The words every file here shares. Types only: nothing runs.

/**
 * Jars that Maven brings: a folder of everything `coordinates` needs at run time.
 * @typedef {object} Artifact
 * @property {string} name folder name in the cache
 * @property {string[]} coordinates `group:artifact:version`
 * @property {string[]} [exclusions] `group:artifact` of dependencies to leave out
 */

/**
 * What an engine needs on the machine, and which Debian packages bring it.
 * @typedef {object} Needs
 * @property {Record<string, string[]>} programs by the name the engine uses: names to look for on PATH, or paths where
 *   `*` stands for a version; the first that exists is taken
 * @property {string[]} packages
 * @property {Artifact} [artifact]
 * @property {PythonPackages} [pip] what the program `python` must be able to import; it is replaced by one that can
 * @property {GoSource} [go] what the program `go` is to build; what it built is the program `driver`
 * @property {NpmPrograms} [npm] what to take when neither the machine nor its package manager has the programs
 */

/**
 * Programs that a scope publishes to npm as one package a platform (`@scope/linux-x64`).
 * @typedef {object} NpmPrograms
 * @property {string} scope
 * @property {string} version
 * @property {Record<string, string>} programs paths inside the package, by the name the engine uses
 */

/**
 * Packages of Python with everything they need, each with its exact version.
 * @typedef {object} PythonPackages
 * @property {string} name folder name in the cache
 * @property {string[]} requirements
 */

/**
 * A program in Go whose go.mod and go.sum pin everything it imports, and say how old a Go may be.
 * @typedef {object} GoSource
 * @property {string} name folder name in the cache
 * @property {string} folder where its files are, none of them in folders below
 */

/**
 * What acquiring found: the path of every program, and the folder of the jars.
 * `container` means none of it: the engine runs through Docker compose.
 * @typedef {object} Tools
 * @property {Record<string, string>} programs
 * @property {string | null} jars
 * @property {boolean} container
 */

/**
 * Where one start of an engine may write and listen. Nothing else on the machine is its own.
 * @typedef {object} Site
 * @property {string} folder
 * @property {number[]} ports
 * @property {Tools} tools
 * @property {Options} options
 */

/**
 * @typedef {object} Options
 * @property {boolean} durable databases flush every commit to disk; off by default because test data is thrown away
 */

/**
 * How one process of an engine is run. Kept in the state, so any process can restart it as it was.
 * @typedef {object} NodePlan
 * @property {string} name
 * @property {number} port
 * @property {string} command
 * @property {string[]} args
 * @property {Record<string, string>} [env]
 * @property {Account | null} [account] the unprivileged system user to run as; null or absent means the caller's own
 * @property {NodeJS.Signals} [endSignal] what ends it when nothing it holds need survive; SIGKILL when absent
 * @property {ContainerCommands} [container] when present, these act on it instead of signals
 */

/**
 * Arguments of `docker` that do to a container what signals do to a process.
 * @typedef {object} ContainerCommands
 * @property {string[]} pause
 * @property {string[]} resume
 * @property {string[]} kill
 * @property {string[]} remove
 */

/** @typedef {{ name: string, uid: number, gid: number }} Account */

/** @typedef {{ url: string, nodes: NodePlan[] }} Plan */

/**
 * One engine: data and functions, no state of its own.
 * @typedef {object} Engine
 * @property {string} name
 * @property {Needs} needs
 * @property {number} portCount how many ports a start wants
 * @property {string} [service] its service in compose.yaml; absent when it cannot run through Docker
 * @property {(port: number) => string} [containerUrl] its address when it runs through Docker
 * @property {(site: Site) => Promise<Plan>} plan prepares the folder and says what to run
 * @property {(plan: Plan) => Promise<void>} [settle] runs once, when every process listens and none is a
 *   container: makes a cluster of them, for one
 * @property {(url: string) => Promise<void>} ready rejects until the engine answers its own protocol
 * @property {(url: string, name: string) => Promise<Isolation>} [isolate] absent when a unique name is enough
 */

/**
 * A corner of a shared engine that one test file has for itself.
 * @typedef {object} Isolation
 * @property {string} name unique, lower case, safe as a prefix, database, topic or queue name
 * @property {string} url where to connect to be inside it
 * @property {() => Promise<void>} end gives back what was made for it
 */

/** A process that cannot be mistaken for a later one with the same number. @typedef {{ pid: number, started: string }} Identity */

/** @typedef {NodePlan & { process: Identity }} RunningNode */

/**
 * @typedef {object} RunningEngine
 * @property {string} name
 * @property {string} url
 * @property {string} folder
 * @property {boolean} ready false while it is being started
 * @property {Identity | null} owner the process it ends with; null when it is shared and lives until `down`
 * @property {number} askedAt when somebody last asked for it, in milliseconds since 1970
 * @property {number} lifetimeMs how long it stays when nobody asks
 * @property {RunningNode[]} nodes
 */

/** @typedef {{ name: string, reason: string }} Missing */

export {};
