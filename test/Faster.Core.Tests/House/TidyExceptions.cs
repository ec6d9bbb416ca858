namespace Faster.Tests.House;

/// <summary>The files that may break a rule of tidiness. Keep the list short; say why.</summary>
internal static class TidyExceptions
{
    /// <summary>Files of src that may be longer than 400 lines.</summary>
    public static readonly IReadOnlySet<string> LongFiles = new HashSet<string>(StringComparer.Ordinal)
    {
        "src/Faster.Probes/SeededBug.cs", // one list, three lines for each item
    };

    /// <summary>Files of test that may wait by the clock, because they wait for another process.</summary>
    public static readonly IReadOnlySet<string> WaitingFiles = new HashSet<string>(StringComparer.Ordinal)
    {
        "test/CountStore.Tests/Commands/KillTests.cs", // the time after which it is killed
        "test/Faster.Crash/Kills/LateWriteTests.cs", // a late write would come from the kernel
        "test/CountStore.Tests/Commands/ResumeTests.cs", // polls for what it writes
    };
}
