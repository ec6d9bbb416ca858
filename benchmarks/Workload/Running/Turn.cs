namespace Faster.Ycsb.Inside;

/// <summary>Which of several engines the threads work on. Thread-safe.</summary>
internal sealed class Turn
{
    private const int None = -1;

    private int _engine;

    /// <summary>Gives the turn to an engine, by its number.</summary>
    public void Give(int engine) => Volatile.Write(ref _engine, engine);

    /// <summary>Ends all work.</summary>
    public void Stop() => Volatile.Write(ref _engine, None);

    /// <summary>The engine whose turn it is.</summary>
    /// <returns>False when the work has ended.</returns>
    public bool TryGet(out int engine)
    {
        engine = Volatile.Read(ref _engine);
        return engine != None;
    }
}
