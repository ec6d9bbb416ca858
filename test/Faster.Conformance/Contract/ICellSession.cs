namespace Faster.Conformance.Contract;

/// <summary>What a read-modify-write of a cell does, and returns.</summary>
public enum CellAction
{
    /// <summary>Adds the operand; returns the sum.</summary>
    Add,

    /// <summary>
    /// Sets the value to the operand if it is the expected one, or if there is none; returns the value before, or 0.
    /// </summary>
    CompareAndSwap,

    /// <summary>Leaves the value as it is, or makes it the operand if there is none; returns it.</summary>
    GetOrAdd,
}

/// <summary>The input of a read-modify-write of a cell.</summary>
/// <param name="Action">What it does.</param>
/// <param name="Operand">The number that it adds or sets.</param>
/// <param name="Expected">The value that <see cref="CellAction.CompareAndSwap"/> expects.</param>
public readonly record struct CellInput(CellAction Action, long Operand, long Expected = 0)
{
    /// <summary>Makes the first value: the initial updater.</summary>
    public long Start(out long output)
    {
        output = Action == CellAction.CompareAndSwap ? 0 : Operand;
        return Operand;
    }

    /// <summary>Makes the new value from an old one: the other updaters.</summary>
    public long Update(long old, out long output)
    {
        long updated = Action switch
        {
            CellAction.Add => old + Operand,
            CellAction.CompareAndSwap => old == Expected ? Operand : old,
            _ => old,
        };
        output = Action == CellAction.CompareAndSwap ? old : updated;
        return updated;
    }
}

/// <summary>A session whose read-modify-writes have an output.</summary>
/// <remarks>
/// Its other read-modify-writes add, without an output to be seen. A pending one tells its ticket the output.
/// </remarks>
public interface ICellSession : ISessionUnderTest<long, long>
{
    /// <summary>Updates a cell; the output is meaningful unless the status is <see cref="Status.Pending"/>.</summary>
    Status Rmw(long key, CellInput input, out long output, PendingTicket<long> ticket);

    /// <summary>Updates a cell, and waits for the disk if it must.</summary>
    ValueTask<RmwResult<long>> RmwAsync(long key, CellInput input);

    /// <summary>Updates many cells, in order; all results are there on return.</summary>
    void RmwBatch(ReadOnlySpan<long> keys, ReadOnlySpan<CellInput> inputs, Span<RmwResult<long>> results);
}

/// <summary>An engine of cells: the sessions of its stores are <see cref="ICellSession"/>.</summary>
public interface ICellEngine : IEngineUnderTest<long, long>;
