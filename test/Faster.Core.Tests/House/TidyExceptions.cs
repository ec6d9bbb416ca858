namespace Faster.Tests.House;

/// <summary>What may break a rule of tidiness, by name. Keep it short; say why.</summary>
internal static class TidyExceptions
{
    /// <summary>Files of src that may be longer than 400 lines.</summary>
    public static readonly IReadOnlySet<string> LongFiles = new HashSet<string>(StringComparer.Ordinal)
    {
    };

    /// <summary>Files of test that may let time pass: what they wait for is another process.</summary>
    public static readonly IReadOnlySet<string> WaitingFiles = new HashSet<string>(StringComparer.Ordinal)
    {
        "test/CountStore.Tests/Commands/KillTests.cs", // the time after which it is killed
        "test/Faster.Crash/Kills/LateWriteTests.cs", // what must not come late would come from the kernel
        "test/CountStore.Tests/Commands/ResumeTests.cs", // looks again and again for what it writes
    };
}
