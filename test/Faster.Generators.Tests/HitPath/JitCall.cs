namespace Faster.Generators.Tests.HitPath;

/// <summary>A call instruction in a listing.</summary>
/// <param name="IsDirect">Whether the target was known when the code was compiled.</param>
/// <param name="Target">The method or runtime helper; empty for a bare function pointer.</param>
/// <param name="Text">The instruction as listed.</param>
internal sealed record JitCall(bool IsDirect, string Target, string Text)
{
    /// <summary>Whether the target is a helper of the runtime rather than a method.</summary>
    public bool IsRuntimeHelper => Target.StartsWith("CORINFO_HELP_", StringComparison.Ordinal);
}
