namespace Faster.Crash.Workloads;

/// <summary>What one operation of a workload does.</summary>
public enum StepKind
{
    /// <summary>Read-modify-write: adds the step's weight, or appends its entry.</summary>
    Add,

    /// <summary>As <see cref="Add"/>, awaited rather than completed by the session's owner.</summary>
    AwaitedAdd,

    /// <summary>A batch that adds to several shared keys under one serial number.</summary>
    Unit,

    /// <summary>Blind update: replaces the value by the step's weight or entry.</summary>
    Put,

    /// <summary>Deletion.</summary>
    Delete,

    /// <summary>Reads: changes the serial number, and not the state.</summary>
    Read,

    /// <summary>
    /// A transaction over two keys: takes the step's weight from the first and adds it to the second, or appends its
    /// entry to both.
    /// </summary>
    Transfer,

    /// <summary>As <see cref="Transfer"/>, but it aborts: changes the serial number, and not the state.</summary>
    Refused,
}

/// <summary>One numbered operation of a session.</summary>
/// <param name="Session">The session's index.</param>
/// <param name="Number">Its serial number, from 1.</param>
/// <param name="Kind">What it does.</param>
/// <param name="Key">Its key.</param>
/// <param name="Value">
/// What it puts or adds: in a store of numbers 8 bytes of a weight that no other step has, in one of bytes an entry
/// that names session and number, followed by filling.
/// </param>
public sealed record Step(int Session, long Number, StepKind Kind, int Key, byte[] Value)
{
    /// <summary>The keys of a <see cref="StepKind.Unit"/> or a transaction; else the one.</summary>
    public IReadOnlyList<int> Keys { get; init; } = [Key];
}
