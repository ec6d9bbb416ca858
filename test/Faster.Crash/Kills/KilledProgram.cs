namespace Faster.Crash.Kills;

/// <summary>The program whose processes are killed.</summary>
internal static class KilledProgram
{
    /// <summary>Where it lies.</summary>
    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, "Faster.Crash.Child.dll");
}
