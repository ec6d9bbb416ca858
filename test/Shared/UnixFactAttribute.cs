namespace Faster.Testing;

/// <summary>A test of what Windows does not support: skipped there, with the reason.</summary>
public sealed class UnixFactAttribute : FactAttribute
{
    /// <summary>Skips the test on Windows.</summary>
    /// <param name="otherwise">What is otherwise there.</param>
    public UnixFactAttribute(string otherwise) => Skip = UnixTheoryAttribute.ReasonOf(otherwise);
}

/// <summary>A theory about what Windows does not support: skipped there, with the reason.</summary>
public sealed class UnixTheoryAttribute : TheoryAttribute
{
    /// <summary>Skips the test on Windows.</summary>
    /// <param name="otherwise">What is otherwise there.</param>
    public UnixTheoryAttribute(string otherwise) => Skip = ReasonOf(otherwise);

    internal static string? ReasonOf(string otherwise) =>
        OperatingSystem.IsWindows() ? $"On Windows {otherwise}." : null;
}
