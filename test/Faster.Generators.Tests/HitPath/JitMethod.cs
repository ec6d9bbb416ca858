namespace Faster.Generators.Tests.HitPath;

/// <summary>A method as the JIT listed it.</summary>
/// <param name="Name">Type, method and signature in the JIT's spelling, which calls to it use too.</param>
/// <param name="IsOptimized">Whether the listing is of the optimized code.</param>
/// <param name="Calls">Its calls, in the order of the code.</param>
/// <param name="Instructions">All its instructions, cold ones included.</param>
internal sealed record JitMethod(
    string Name, bool IsOptimized, IReadOnlyList<JitCall> Calls, IReadOnlyList<string> Instructions)
{
    /// <summary>How many of the instructions write to memory.</summary>
    public int Stores => Instructions.Count(JitListing.IsStore);
}
