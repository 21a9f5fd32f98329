// What every Java engine here shares: small heaps and a quick start.

/** The programs and packages of an engine whose jars come through Maven. */
export const javaNeeds = {
  programs: {
    java: [...(process.env.JAVA_HOME ? [`${process.env.JAVA_HOME}/bin/java`] : []), 'java'],
    maven: ['mvn'],
  },
  packages: ['default-jdk-headless', 'maven'],
};

/** @param {string | null} jars @param {number} heapMb @returns {string[]} */
export const javaArgs = (jars, heapMb) => [
  `-Xmx${heapMb}m`,
  '-XX:+UseSerialGC',
  // Engines live for minutes: the optimising compiler would cost more than it gives.
  '-XX:TieredStopAtLevel=1',
  '-XX:-UsePerfData',
  '-Djava.net.preferIPv4Stack=true',
  '-cp',
  `${jars}/*`,
];
