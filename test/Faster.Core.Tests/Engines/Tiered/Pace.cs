namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Keeps writers and the reader of a test together: on a busy machine writers would fill the disk while the reader
/// stands still, or the reader would end before they begin.
/// </summary>
/// <remarks>Thread-safe; one reader.</remarks>
/// <param name="step">The writes of each writer that one step of the reader allows.</param>
internal sealed class Pace(long step) : IDisposable
{
    private long _allowed, _reached;
    private bool _isOver;

    /// <summary>Waits until a writer may make its write of a number, counted from 1.</summary>
    /// <returns>False: the test is over.</returns>
    public bool Allows(long number)
    {
        while (number > Volatile.Read(ref _allowed) && !Volatile.Read(ref _isOver)) Thread.Yield();
        if (number > Volatile.Read(ref _reached)) Volatile.Write(ref _reached, number);
        return !Volatile.Read(ref _isOver);
    }

    /// <summary>Waits until a writer has used up what was allowed before, and allows another step.</summary>
    public void GoOn()
    {
        while (Volatile.Read(ref _reached) < _allowed && !Volatile.Read(ref _isOver)) Thread.Yield();
        Volatile.Write(ref _allowed, _allowed + step);
    }

    /// <summary>Ends the writers. Idempotent.</summary>
    public void Dispose() => Volatile.Write(ref _isOver, true);
}
