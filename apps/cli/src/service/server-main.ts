// The program of the all-in-one server, as this command starts it: in its own process, or in those of `--workers`.
import '@carillon/app-server/main';
