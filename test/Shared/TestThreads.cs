using System.Runtime.CompilerServices;

namespace Faster.Testing;

/// <summary>
/// Pool threads for a test host. Many tests block some, as users' synchronous calls do. Beyond its minimum the pool
/// adds only one or two a second, and tests that run side by side would wait for these.
/// </summary>
internal static class TestThreads
{
    private const int Enough = 32;

    /// <summary>Called by the runtime when the test assembly is loaded.</summary>
    [ModuleInitializer]
    public static void Provide() => ThreadPool.SetMinThreads(Enough, Enough);
}
