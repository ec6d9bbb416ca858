namespace Faster.Generators.Models;

/// <summary>Specifies what an engine can do that emitted code or its documentation depends on.</summary>
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

    /// <summary>Values may be given as sequences of any length.</summary>
    Sequences = 8,

    /// <summary>Deltas are merged.</summary>
    Mergers = 16,

    /// <summary>Live records are scanned, exported and imported.</summary>
    Scans = 32,

    /// <summary>All records are scanned in the order of the one log.</summary>
    Log = 64,

    /// <summary>The tail of the log is followed.</summary>
    Subscriptions = 128,

    /// <summary>Older records of a key are read.</summary>
    History = 256,

    /// <summary>Several records are read and written at once.</summary>
    Transactions = 512,
}
