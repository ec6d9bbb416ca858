namespace Faster.Tests.Index.Entries;

/// <summary>What the tests of test/Faster.Probed let run while a thread waits that has no scheduler.</summary>
internal static class LoneThread
{
    [ThreadStatic]
    private static Action? _step;

    /// <summary>The steps of other threads that the calling thread takes while it waits; null for none.</summary>
    public static Action? Step
    {
        get => _step;
        set => _step = value;
    }
}
