using System.Runtime.CompilerServices;

namespace Faster.Testing;

/// <summary>
/// Threads of the pool for a test host. Many tests block some, as users' synchronous calls do; beyond its minimum the
/// pool adds one or two a second only, and tests that run beside each other would wait for that.
/// </summary>
internal static class TestThreads
{
    private const int Enough = 32;

    /// <summary>Called by the runtime when the test assembly is loaded.</summary>
    [ModuleInitializer]
    public static void Provide() => ThreadPool.SetMinThreads(Enough, Enough);
}
