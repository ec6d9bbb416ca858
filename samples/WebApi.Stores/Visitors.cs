using Faster;

namespace WebApi;

/// <summary>What is known of a visitor for an hour after the last visit.</summary>
[Store(Key = typeof(Guid), Value = typeof(string))]
internal static partial class Visitors;
