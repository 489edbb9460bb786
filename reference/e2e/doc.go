// Package e2e tests the pipeline from end to end: the real programs, a real Postgres, real HTTP, real
// signals. What the simulator proves in virtual time is here shown to be so of what is deployed.
//
// Each test has a database of its own with a Witness in it, a provider that writes down what it
// accepted, and, where a moment has to be held open, a proxy before the database. In the end of each
// the whole world is judged by what is promised, and every message is delivered once more.
//
// Its packages are for others, too: stub is the provider, wire the proxy, witness the judge, and soak
// a program that puts them all under load and kills what it can.
package e2e
