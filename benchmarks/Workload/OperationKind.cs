namespace Faster.Workload;

/// <summary>What every operation of a run does.</summary>
internal enum OperationKind
{
    /// <summary>Reads a value.</summary>
    Read,

    /// <summary>Overwrites a value blindly.</summary>
    Upsert,

    /// <summary>Adds one to a value.</summary>
    Rmw,
}
