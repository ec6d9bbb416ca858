namespace Faster.Generators.Models;

/// <summary>Specifies what an engine can do beside the operations that all engines have.</summary>
/// <remarks>Each is an interface of the contract, docs/internals/engine-contract.md.</remarks>
[Flags]
internal enum Capabilities
{
    None = 0,

    /// <summary>The store has a folder.</summary>
    Folder = 1,

    /// <summary>Operations may become pending.</summary>
    Pending = 2,

    /// <summary>Commits, commit points, serial numbers, and sessions that are continued by name.</summary>
    Commits = 4,

    /// <summary>Commits capture a log and an index, each in its own way.</summary>
    LogCommits = 8,

    /// <summary>Records may expire.</summary>
    Expiry = 16,

    /// <summary>Values may be given as sequences of any length.</summary>
    Sequences = 32,

    /// <summary>Deltas are merged.</summary>
    Mergers = 64,

    /// <summary>Live records are scanned, exported and imported.</summary>
    Scans = 128,

    /// <summary>All records are scanned in the order of the one log.</summary>
    Log = 256,

    /// <summary>The index is resized on request.</summary>
    IndexSizing = 512,

    /// <summary>The log is truncated and compacted by address.</summary>
    Reclamation = 1024,

    /// <summary>Internal faults raise an event.</summary>
    Faults = 2048,

    /// <summary>The store counts what it does.</summary>
    Statistics = 4096,

    /// <summary>The tail of the log is followed.</summary>
    Subscriptions = 8192,

    /// <summary>The state as of a commit is scanned and exported.</summary>
    CommitScans = 16384,

    /// <summary>Older records of a key are read.</summary>
    History = 32768,
}
